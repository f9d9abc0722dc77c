# A small network learns on one card, and on all of them.
# After a cell, `#>` is what it displays; `#2>` on two cards, `#1>` on one, `#0>` on none.

# %%
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(1)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


# %%
class Net(nn.Module):
    def __init__(self, inputs=20, hidden=32, classes=3):
        super().__init__()
        self.hidden = nn.Linear(inputs, hidden)
        self.drop = nn.Dropout(0.1)
        self.out = nn.Linear(hidden, classes)

    def forward(self, x):
        return self.out(self.drop(F.relu(self.hidden(x))))


net = Net().to(device)
sum(each.numel() for each in net.parameters())
#> 771

# %%
centres = torch.randn(3, 20) * 3
labels = torch.randint(0, 3, (300,))
points = centres[labels] + torch.randn(300, 20)
data = DataLoader(TensorDataset(points, labels), batch_size=30, shuffle=True)
len(data), next(iter(data))[0].shape
#> (10, torch.Size([30, 20]))


# %%
def accuracy(model):
    model.eval()
    with torch.no_grad():
        right = sum(
            (model(x.to(device)).argmax(1) == y.to(device)).sum().item() for x, y in data
        )
    model.train()
    return right / len(data.dataset)


optimiser = torch.optim.Adam(net.parameters(), lr=0.01)
losses = []
for epoch in range(4):
    for x, y in data:
        x, y = x.to(device), y.to(device)
        optimiser.zero_grad()
        loss = F.cross_entropy(net(x), y)
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
print(f"{len(losses)} steps, accuracy above 0.9: {accuracy(net) > 0.9}")
#> 40 steps, accuracy above 0.9: True

# %%
several = nn.DataParallel(Net(), device_ids=list(range(torch.cuda.device_count())) or None)
several = several.to(device)
out = several(points.to(device))
out.shape, out.device.type == device.type
#> (torch.Size([300, 3]), True)

# %%
with torch.autocast(device.type, dtype=torch.bfloat16):
    half = net(points.to(device))
half.dtype
#> torch.bfloat16
