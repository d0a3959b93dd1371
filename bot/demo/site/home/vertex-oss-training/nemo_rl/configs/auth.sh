# The tokens that jobs need. Keep this file to yourself (chmod 600), and write them like this:
# export HF_TOKEN=…        gated models and data sets of Hugging Face
# export WANDB_API_KEY=…   Weights & Biases
