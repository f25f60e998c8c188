/** Shell variables that any program may need. None are secret. */
const SYSTEM =
  /^(PATH|HOME|USER|LOGNAME|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|NODE_(?!AUTH)\w+|LD_LIBRARY_PATH|LD_PRELOAD|MALLOC_\w+|SSL_CERT_(FILE|DIR)|CHORUS_TEST_\w+)$/;

/**
 * Variables that our processes may also need: threads and devices of engines, and proxies, which may hold a
 * login.
 */
const OURS = /^(UV_\w+|OMP_\w+|CUDA_\w+|GGML_\w+|LANCE\w*|VIPS_\w+|FONTCONFIG_\w+|(https?|no|all)_proxy)$/i;

export function systemEnvironment(from: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return pick(from, (name) => SYSTEM.test(name));
}

/** Returns the environment of a platform process: the system's and the settings. */
export function processEnvironment(
  variables: readonly string[],
  from: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
  const own = new Set(variables);
  return pick(from, (name) => SYSTEM.test(name) || OURS.test(name) || own.has(name));
}

function pick(from: NodeJS.ProcessEnv, fits: (name: string) => boolean): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(from).filter(([name]) => fits(name)));
}
