/** Ends quietly when the reader of a pipe does, as in `| head -1`: with 128 + SIGPIPE, as shells do. */
export function exitOnClosedPipe(): void {
  process.stdout.on('error', ({ code }: NodeJS.ErrnoException) => process.exit(code === 'EPIPE' ? 141 : 1));
}
