"""TOOI: the waardelijsten of the Dutch government, and coded values resolved against them."""
