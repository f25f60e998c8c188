import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Creates a self-signed certificate and its key as PEM.
 * @param name such as `IP:127.0.0.1` or `DNS:secure.test`
 */
export function makeCertificate(name: string): { cert: string; key: string } {
  const folder = mkdtempSync(join(tmpdir(), 'chorus-tls-'));
  const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  const subject = ['-subj', `/CN=${name.replace(/^\w+:/, '')}`, '-addext', `subjectAltName=${name}`];
  try {
    const to = ['-keyout', keyFile, '-out', certFile];
    execFileSync('openssl', ['req', '-x509', ...curve, ...subject, ...to], { stdio: 'ignore' });
    return { cert: readFileSync(certFile, 'utf8'), key: readFileSync(keyFile, 'utf8') };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
