/** Whether the system refused something, such as to write a file: its message says what and where, and there is no more to tell. */
export function isSystemError(error: unknown): error is NodeJS.ErrnoException & { code: string } {
  return error instanceof Error && 'syscall' in error && 'code' in error && typeof error.code === 'string';
}
