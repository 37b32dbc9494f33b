# The dashboard and the command line in one image.
#
#   docker build -t cvar .
#   docker run -p 8501:8501 -v cvar:/data cvar        the dashboard, at http://localhost:8501
#   docker run cvar sweep --loss absolute             a command of `python -m cvar_core`

# hadolint ignore=DL3057
FROM python:3.11-slim AS build

# The CPU build of torch: nobody downloads gigabytes of CUDA by accident.
ARG TORCH_INDEX_URL=https://download.pytorch.org/whl/cpu

ENV PATH=/opt/venv/bin:$PATH \
    PYTHONPATH=/app \
    NUMBA_CACHE_DIR=/opt/kernels

WORKDIR /app
COPY requirements.txt requirements-cluster.txt ./
RUN python -m venv --without-pip /opt/venv

# Where that index is out of reach, the default one. Only wheels: there is no compiler here.
RUN pip --python /opt/venv/bin/python install --no-cache-dir --no-compile --only-binary :all: --timeout 10 --retries 0 \
        --index-url "$TORCH_INDEX_URL" --constraint requirements.txt torch \
    || pip --python /opt/venv/bin/python install --no-cache-dir --no-compile --only-binary :all: \
        --constraint requirements.txt torch
RUN pip --python /opt/venv/bin/python install --no-cache-dir --no-compile --only-binary :all: \
        --requirement requirements.txt --requirement requirements-cluster.txt

# What only those need who build or test these packages, or use them in a notebook, and what Arrow has for other servers
# (Flight, S3). Licences stay, and so does torch's shm manager, for which it looks.
RUN find /opt/venv -name '*.dist-info' -prune -o -type d \( -name tests -o -path '*/joblib/test' -o -path '*/tornado/test' \
        -o -path '*/torch/test' -o -path '*/torch/include' -o -path '*/pyarrow/include' -o -path '*/plotly/labextension' \
        -o -path '*/pydeck/nbextension/static' -o -path '*/venv/share/jupyter' \) -prune -exec rm -rf {} + \
    && find /opt/venv -name '*.dist-info' -prune -o -type f \( -name '*.pyi' -o -name '*.pyx' -o -name '*.px[di]' \
        -o -name '*.h' -o -name '*.hpp' -o -name '*.cmake' -o -name '*.a' -o -name widgetbundle.js \
        -o -path '*/pyarrow/*_flight.*' -o -path '*/pyarrow/*_s3*' -o -path '*/pyarrow/libarrow_python*.so' \
        -o -path '*/pyarrow/lib*.so.*.*' -o -path '*/torch/lib/lib*_test.so' \) -exec rm {} + \
    && find /opt/venv -path '*/torch/bin/*' ! -name torch_shm_manager -delete

# The symbols of the largest libraries, which only a debugger reads: a twelfth of the image. (The kernels below are compiled
# with what is left.) Where Debian's packages are out of reach, they stay.
# hadolint ignore=DL3008,DL3009
RUN if apt-get update -qq && apt-get install -qq --yes --no-install-recommends binutils; \
    then find /opt/venv -type f \( -name 'libtorch_*.so' -o -name libllvmlite.so -o -path '*/pyarrow/lib*.so.*' \) \
        -exec strip --strip-unneeded {} +; fi

# Bytecode that does not ask when its source was written: an image rounds that, and half of it would be compiled again
# at every start. (One file is in the syntax of a later Python.) Then every package is tried: enough is left of each.
RUN python -m compileall -q -j 0 --invalidation-mode unchecked-hash -x py312_ /opt/venv \
    && python -c "import importlib, pkgutil, sysconfig as s; \
        [importlib.import_module(each.name) for each in pkgutil.iter_modules([s.get_path('purelib')])]"

COPY cvar_core cvar_core
COPY pages pages
COPY tools/container tools/container
COPY .streamlit/config.toml .streamlit/config.toml
COPY app.py LICENSE ./

# All that would else be written on the first visit, to a root that may be read-only: bytecode and the
# kernels, for the processors that most people have and for all others (see tools/container/start.py).
RUN python -m compileall -q -j 0 --invalidation-mode unchecked-hash . \
    && python -m tools.container.start compile \
    && NUMBA_CPU_NAME=generic python -m tools.container.start compile \
    && python -m tools.container.licences --sbom sbom.json


FROM python:3.11-slim

LABEL org.opencontainers.image.title="CVaR Step-Size Lab" \
      org.opencontainers.image.description="Which step size is safe when you minimise CVaR? A dashboard and a command line." \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.base.name="docker.io/library/python:3.11-slim"

# A number, so that a cluster can see that it is not root.
RUN groupadd --gid 10001 cvar \
    && useradd --uid 10001 --gid cvar --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin cvar \
    && install --directory --owner cvar --group cvar /data

COPY --from=build /opt/venv /opt/venv
COPY --from=build /opt/kernels /opt/kernels
COPY --from=build /app /app

# Modules come from /app, never from /data, which is the working directory: there `--out curves.csv` is kept.
ENV PATH=/opt/venv/bin:$PATH \
    PYTHONPATH=/app \
    PYTHONSAFEPATH=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    NUMBA_CACHE_DIR=/opt/kernels \
    CVAR_DATA_DIR=/data \
    STREAMLIT_SERVER_PORT=8501 \
    STREAMLIT_BROWSER_SERVER_ADDRESS=localhost

WORKDIR /data
VOLUME /data
EXPOSE 8501
USER 10001:10001

HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-S", "/app/tools/container/healthy.py"]

ENTRYPOINT ["python", "-m", "tools.container.start"]
CMD ["dashboard"]
