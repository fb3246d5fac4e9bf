"""Five studies of one attention layer; everything ends in numpy, what a page draws.

``scaling``: what √d is for. ``permutation``: what order means to a layer. ``heads``: one head of
size d against h of size d/h. ``correspondence``: who is query, key and value in three papers.
``additive``: an MLP's scores against dot products. Each module draws its random numbers from a seed
that is an argument. Importing the package brings no torch; its modules do.
"""
