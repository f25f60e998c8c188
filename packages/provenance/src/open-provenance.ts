import type { Config } from '@chorus/config';
import { loadCertificate } from './certificate/load-certificate.ts';
import { createProvenance, type Provenance, type ProvenanceParts } from './provenance.ts';

/**
 * As a process's `main.ts` begins with it.
 *
 * @throws {ConfigError} where `C2PA_CERTIFICATE_FILE` and its key can't sign; {ChorusError} store_unavailable
 */
export async function openProvenance(
  { c2pa }: Pick<Config, 'c2pa'>,
  parts: Omit<ProvenanceParts, 'certificate'>,
): Promise<Provenance> {
  const certificate = c2pa === null ? null : await loadCertificate(c2pa);
  return createProvenance({ ...parts, certificate });
}
