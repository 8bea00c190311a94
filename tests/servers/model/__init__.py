"""Parts of the scripted model server; model.py beside this folder is the program."""
