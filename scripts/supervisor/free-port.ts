import { createServer } from 'node:net';
import { SettingsError } from './settings.ts';

/**
 * Checks that the API can listen, before anything starts.
 * @param port 0 for any
 * @returns the port
 * @throws {SettingsError} naming the port or the host
 */
export async function findFreePort(host: string, port: number): Promise<number> {
  const server = createServer();
  try {
    return await new Promise<number>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host, port }, () => {
        const address = server.address();
        resolve(typeof address === 'object' && address ? address.port : port);
      });
    });
  } catch (error) {
    throw new SettingsError(explain((error as NodeJS.ErrnoException).code, host, port));
  } finally {
    await new Promise<void>((resolve) => server.close(() => resolve()));
  }
}

function explain(code: string | undefined, host: string, port: number): string {
  if (code === 'EADDRINUSE') {
    const other = port < 65_535 ? port + 1 : port - 1;
    return `Port ${port} is in use by another program. Stop it, or choose another port: PORT=${other} npm start`;
  }
  if (code === 'EACCES') return `This user may not listen on port ${port}: set PORT above 1023.`;
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return `HOST is not an address of this machine: ${host}. Use 127.0.0.1 (this machine only) or 0.0.0.0 (all networks).`;
  }
  return `The API can't listen on ${host}, port ${port} (${code ?? 'unknown error'}).`;
}
