"""A small NeMo-RL in numpy: the same layout, the same lines, real gradient steps."""
