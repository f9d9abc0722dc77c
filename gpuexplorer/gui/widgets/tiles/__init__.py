"""Cards as tiles and cells, with their past in small."""
