"""What is drawn: charts, cards, words and the style of all pages."""
