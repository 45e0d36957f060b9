"""``pardem scaling``: runs measured over numbers of ranks, and predictions for numbers of ranks that are not at hand."""
