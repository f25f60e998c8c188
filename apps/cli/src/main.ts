import { clientSettings } from './remote/client-settings.ts';
import { runCli } from './run-cli.ts';

// `| head -1` closes the pipe early, which is no error. Exits with 128 + SIGPIPE, as shells do.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => process.exit(code === 'EPIPE' ? 141 : 1));

// The first argument is the folder from which the user calls, added by bin/chorus.mjs.
const [from = '.', ...args] = process.argv.slice(2);
process.exitCode = await runCli(args, {
  from,
  client: clientSettings(process.env),
  // Loaded on demand, because client commands start faster without it.
  locate: async () => {
    const { loadDataLocation, loadRunningConfig } = await import('@chorus/runtime/config');
    return { ...loadDataLocation(), running: loadRunningConfig };
  },
});
