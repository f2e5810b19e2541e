"""The portal: a search page and an API over what was harvested. It reads only, through a search engine."""
