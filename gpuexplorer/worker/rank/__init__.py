"""One rank: it runs on each host, joins the others, moves bytes, and takes the times."""
