/** What any program may need of a shell's environment, and nothing that is secret. */
const SYSTEM =
  /^(PATH|HOME|USER|LOGNAME|LANG|LANGUAGE|LC_\w+|TZ|TMPDIR|NODE_(?!AUTH)\w+|LD_LIBRARY_PATH|LD_PRELOAD|MALLOC_\w+|SSL_CERT_(FILE|DIR)|CHORUS_TEST_\w+)$/;

/** What else our processes may need: threads and devices of engines, and proxies, which may hold a login. */
const OURS = /^(UV_\w+|OMP_\w+|CUDA_\w+|GGML_\w+|LANCE\w*|VIPS_\w+|FONTCONFIG_\w+|(https?|no|all)_proxy)$/i;

/** The part of our environment that a program gets which is not ours. */
export function systemEnvironment(from: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  return pick(from, (name) => SYSTEM.test(name));
}

/** The part that a process of the platform gets: beside the system's what its settings are. */
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
