"""What is seen of a program or a cell beside its copies; told times, places and devices by
either engine, and knows neither PyTorch nor cards.
"""
