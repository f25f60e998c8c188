import { GENERATION_LABEL, type Generation } from './claims.ts';

/** Facts about a generated file for its signed record. */
export interface ManifestFacts extends Omit<Generation, 'created_at'> {
  mime: string;
  created_at: Date;
  /** Whether a program drew it rather than a trained model. */
  procedural: boolean;
}

const SOURCE_TYPES = 'http://cv.iptc.org/newscodes/digitalsourcetype/';

export interface ManifestDefinitions {
  /** For a file without a record. */
  creating: Record<string, unknown>;
  /** For a file with its provider's record, which the library adds as opened. */
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
