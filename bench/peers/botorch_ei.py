"""BoTorch's LogEI with a SingleTaskGP (its own defaults), hartmann6, 60 trials.

    botorch_ei.py [seeds, 20]
"""
import warnings

import common

warnings.simplefilter("ignore")
torch, botorch, gpytorch = common.require("torch", "botorch", "gpytorch")
torch.set_num_threads(1)
torch.set_default_dtype(torch.double)
FIRST = 10  # Sobol' points before the model


def next_point(X, Y, dim):
    model = botorch.models.SingleTaskGP(X, Y, outcome_transform=botorch.models.transforms.Standardize(m=1))
    botorch.fit.fit_gpytorch_mll(gpytorch.mlls.ExactMarginalLogLikelihood(model.likelihood, model))
    acquisition = botorch.acquisition.analytic.LogExpectedImprovement(model, best_f=Y.max())
    bounds = torch.stack([torch.zeros(dim), torch.ones(dim)])
    x, _ = botorch.optim.optimize_acqf(acquisition, bounds, q=1, num_restarts=10, raw_samples=512)
    return x


def minimise(f, dim, trials, seed):
    torch.manual_seed(seed)
    X = torch.quasirandom.SobolEngine(dim, scramble=True, seed=seed).draw(FIRST, dtype=torch.double)
    Y = torch.tensor([[-f(x.tolist())] for x in X])
    while len(X) < trials:
        x = next_point(X, Y, dim)
        X = torch.cat([X, x])
        Y = torch.cat([Y, torch.tensor([[-f(x[0].tolist())]])])
    return -Y.max().item()


who = f"botorch {botorch.__version__} LogEI"
minimise(common.branin, 2, FIRST + 2, 0)
common.header(who)
common.compare(who, "hartmann6", 60, common.count(1, 20), minimise)
