import { clientSettings } from './remote/client-settings.ts';
import { runCli } from './run-cli.ts';

// `| head -1` has what it wanted: that is no mistake to tell of. 128 + SIGPIPE, as shells have it for any program.
process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => process.exit(code === 'EPIPE' ? 141 : 1));

// The first argument is the folder from which the user calls; bin/chorus.mjs puts it there.
const [from = '.', ...args] = process.argv.slice(2);
process.exitCode = await runCli(args, {
  from,
  client: clientSettings(process.env),
  // Loaded only where it is needed: commands that are clients begin sooner without.
  locate: async () => {
    const { loadDataLocation, loadRunningConfig } = await import('@chorus/config');
    return { ...loadDataLocation(), running: loadRunningConfig };
  },
});
