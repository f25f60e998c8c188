import { GENERATION_LABEL, type Generation } from './claims.ts';

/** What a signed file says of how it was made. */
export interface ManifestFacts extends Omit<Generation, 'created_at'> {
  mime: string;
  created_at: Date;
  /** Drawn by a programme, not by a trained model. */
  procedural: boolean;
}

const SOURCE_TYPES = 'http://cv.iptc.org/newscodes/digitalsourcetype/';

/** Definitions of a C2PA manifest, as the library takes them. */
export interface ManifestDefinitions {
  /** Of a file without a record. */
  creating: Record<string, unknown>;
  /** Of one that carries its provider's: the library then adds that, and that it was opened. */
  opening: Record<string, unknown>;
}

export function manifestOf(facts: ManifestFacts, version: string): ManifestDefinitions {
  const data: Generation = {
    execution_id: facts.execution_id,
    model: facts.model,
    created_at: facts.created_at.toISOString(),
    perceptual_hash: facts.perceptual_hash,
  };
  const created = {
    action: 'c2pa.created',
    digitalSourceType: SOURCE_TYPES + (facts.procedural ? 'algorithmicMedia' : 'trainedAlgorithmicMedia'),
    softwareAgent: { name: facts.model },
    when: data.created_at,
  };
  const claim = { claim_generator_info: [{ name: 'Chorus', version }], format: facts.mime };
  const generation = { label: GENERATION_LABEL, data };
  return {
    creating: { ...claim, assertions: [{ label: 'c2pa.actions.v2', data: { actions: [created] } }, generation] },
    opening: { ...claim, assertions: [generation] },
  };
}
