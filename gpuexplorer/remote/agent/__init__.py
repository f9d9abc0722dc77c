"""What runs over there: reads that computer's cards and tells what they say."""
