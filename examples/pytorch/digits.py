"""digits.py: trains a small network of PyTorch on handwritten digits and writes its state dict, digits.safetensors.

Flow: run by hand in this folder (pip install torch safetensors scikit-learn); main.cpp embeds the file. The file here
was made with PyTorch 1.13, other versions give other weights. Every fifth digit is held out. The data set is Optical
Recognition of Handwritten Digits, E. Alpaydin and C. Kaynak, 1998, UCI Machine Learning Repository,
https://doi.org/10.24432/C50P49, CC BY 4.0.
"""
import torch
from safetensors.torch import save_file
from sklearn.datasets import load_digits
from torch import nn


class Digits(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3, padding=1)
        self.fc = nn.Linear(16 * 4 * 4, 10)

    def forward(self, image):
        x = nn.functional.max_pool2d(torch.relu(self.conv1(image)), 2)
        return torch.softmax(self.fc(x.flatten(1)), 1)


def train(model, images, labels):
    optimiser = torch.optim.AdamW(model.parameters(), 3e-3, weight_decay=1e-2)
    for epoch in range(60):
        if epoch == 40:
            optimiser.param_groups[0]["lr"] = 3e-4
        for batch in torch.randperm(len(images)).split(32):
            optimiser.zero_grad()
            nn.functional.nll_loss(torch.log(model(images[batch]) + 1e-12), labels[batch]).backward()
            optimiser.step()


torch.manual_seed(1)
digits = load_digits()
images = torch.tensor(digits.images, dtype=torch.float32).unsqueeze(1)  # [N, 1, 8, 8], from 0 (paper) to 16 (ink)
labels = torch.tensor(digits.target).long()
is_held_out = torch.arange(len(images)) % 5 == 0

model = Digits()
train(model, images[~is_held_out], labels[~is_held_out])
save_file(model.state_dict(), "digits.safetensors")

right = (model(images[is_held_out]).argmax(1) == labels[is_held_out]).sum().item()
print(f"{right} of {is_held_out.sum().item()} held-out digits are right")
