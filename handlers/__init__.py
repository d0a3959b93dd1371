"""How people reach the bot."""
