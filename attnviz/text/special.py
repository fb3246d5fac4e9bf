"""The pieces that are no text; their ids are the same in every vocabulary."""

PAD, UNKNOWN, START, END = range(4)
SPECIAL = ("<pad>", "<unk>", "<s>", "</s>")
