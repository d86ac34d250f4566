"""Writes statsmodels.json, the results of statsmodels for made-up games.

Run it as `python statsmodels_reference.py`. It needs statsmodels and its dependencies; the file
states the versions used. OrderedModel supports neither weights nor clusters. Its coefficients and
log-likelihood are compared without weights, and the clustered covariance is computed here by hand
from its scores and Hessian, with the same factor as statsmodels' `cov_cluster`.
"""

import json
from importlib.metadata import version
from pathlib import Path

import numpy as np
import statsmodels.api as sm
from scipy.special import gammaln
from statsmodels.miscmodels.ordinal_model import OrderedModel

CLUSTERS = 90


def games(rng):
    """Rows of clusters of one to five games: a constant, two differences of pieces, a fraction."""
    rows = []
    for cluster in range(CLUSTERS):
        luck = rng.normal()
        for _ in range(rng.integers(1, 6)):
            x = [
                1.0,
                float(rng.integers(-3, 4)),
                float(rng.integers(-2, 3)),
                round(float(rng.normal()), 3),
            ]
            eta = 0.2 + 0.5 * x[1] - 0.3 * x[2] + 0.8 * x[3] + luck + rng.logistic()
            y = 0.0 if eta < -0.6 else 1.0 if eta > 0.6 else 0.5
            rows.append((*x, y, float(rng.integers(1, 8)) / 4, 3 * cluster + 7))
    return np.array(rows)


def cluster_covariance(scores, hessian, groups):
    """The sandwich of the clusters' summed scores, with statsmodels' finite-sample factor."""
    inverse = np.linalg.inv(-hessian)
    sums = np.array([scores[groups == group].sum(axis=0) for group in np.unique(groups)])
    (n, k), g = scores.shape, len(sums)
    return g / (g - 1) * (n - 1) / (n - k) * inverse @ sums.T @ sums @ inverse


def main():
    """Fits all models and writes the file."""
    table = games(np.random.default_rng(20240607))
    x, y, weight, cluster = table[:, :4], table[:, 4], table[:, 5], table[:, 6].astype(int)

    model = sm.GLM(y, x, family=sm.families.Binomial(), freq_weights=weight)
    robust = {"cov_type": "cluster", "cov_kwds": {"groups": cluster, "use_correction": True}}
    logit = model.fit(tol=1e-14, **robust)
    other = sm.GLM(y, x, family=sm.families.Binomial(), var_weights=weight).fit(tol=1e-14, **robust)
    assert np.allclose(logit.cov_params(), other.cov_params(), rtol=1e-9)
    uncorrected = model.fit(
        tol=1e-14, cov_type="cluster", cov_kwds={"groups": cluster, "use_correction": False}
    )
    # statsmodels adds the logarithm of a binomial coefficient, generalised to halves. It does not
    # depend on the parameters.
    constant = np.sum(weight * (gammaln(2) - gammaln(y + 1) - gammaln(2 - y)))

    ordered = OrderedModel((2 * y).astype(int), x[:, 1:], distr="logit")
    fit = ordered.fit(method="newton", maxiter=100, tol=1e-13, disp=False)
    fit = ordered.fit(start_params=fit.params, method="bfgs", gtol=1e-10, maxiter=500, disp=False)
    # The second cut point is the first one plus the exponential of the last parameter.
    raw = np.asarray(fit.params)
    # The optimiser warns of a loss of precision. The score shows that it has found the maximum.
    assert np.abs(ordered.score(raw)).max() < 1e-6
    jacobian = np.eye(5)
    jacobian[4, 3], jacobian[4, 4] = 1.0, np.exp(raw[4])
    scores = ordered.score_obs(raw)
    covariance = cluster_covariance(scores, ordered.hessian(raw), cluster)

    # A regression on indicators of the groups, without its finite-sample factor.
    group = (x[:, 1] > 0).astype(int) + (x[:, 1] > 1)
    dummies = np.eye(3)[group]
    means = sm.WLS(y, dummies, weights=weight).fit(cov_type="cluster", cov_kwds={"groups": cluster})
    n = len(y)
    overall = sm.WLS(y, np.ones(n), weights=weight).fit(
        cov_type="cluster", cov_kwds={"groups": cluster}
    )

    result = {
        "versions": {name: version(name) for name in ("statsmodels", "numpy", "scipy")},
        "columns": ["1", "x1", "x2", "x3", "y", "weight", "cluster"],
        "rows": table.tolist(),
        "logit": {
            "coefficients": logit.params.tolist(),
            "covariance": logit.cov_params().tolist(),
            "uncorrected": uncorrected.cov_params().tolist(),
            "log_likelihood": float(logit.llf - constant),
        },
        "ordered": {
            "coefficients": raw[:3].tolist(),
            "cuts": ordered.transform_threshold_params(raw[3:])[1:3].tolist(),
            "covariance": (jacobian @ covariance @ jacobian.T).tolist(),
            "log_likelihood": float(fit.llf),
        },
        "means": {
            "groups": group.tolist(),
            "means": means.params.tolist(),
            "covariance": (means.cov_params() * (n - 3) / (n - 1)).tolist(),
            "overall": float(overall.params[0]),
            "overall_variance": float(overall.cov_params()[0, 0]),
        },
    }
    text = json.dumps(result)
    path = Path(__file__).with_name("statsmodels.json")
    path.write_text(text.replace("], [", "],\n[").replace(', "', ',\n"') + "\n")


if __name__ == "__main__":
    main()
