"""Pure functions: what happened → the card that says so. Every sentence people read is here."""
