r"""Where the paper's text and its formulas differ, as far as these figures are concerned; in Markdown.

Checked against the paper's source. What is not about the synthetic study is not listed.
"""

SLIPS = (
    r"Where the step sizes of SPL₊ are motivated, they fall like $1/\sqrt t$; in the algorithms and in the experiments "
    r"like $1/\sqrt{t+1}$. With $t$ from 0 only the latter is possible, and it is what runs here: "
    r"$\lambda_\theta = \lambda/(\ell_0\sqrt{t+1})$ and $\lambda_\alpha = \lambda\,\ell_0/\sqrt{t+1}$.",
    r"The sentence that recommends $\lambda$ around 1 has $\lambda/\theta_0$ for the scale of the step in $\theta$; "
    r"the formula has $\lambda/\ell_0$, the initial loss.",
    r"The captions put the absolute loss ($\ell_1$) in the first row and the squared ($\ell_2$) in the second; the "
    r"table of problems has squared first, as here.",
    r"Which $\epsilon$ the second figure takes is not said. Here it is what remains of the gap at the start, and the "
    r"slider moves it.",
    r"One letter stands for two things, twice: the noise is $\epsilon$ once and $\zeta$ elsewhere, while $\epsilon$ is "
    r"also the accuracy; and Gumbel's scale $\beta = 4$ is not the level $\beta = 0.95$.",
    r"$T$ updates give $T$ new iterates; the algorithms count to $T$ from 0, which makes $T+1$. Here $T$ updates are "
    r"taken, and their iterates averaged, without the start.",
)
