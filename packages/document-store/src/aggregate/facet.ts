import type { Document } from 'bson';
import { locationError } from '../errors.ts';
import { type Candidate, type Portions, portionsOf, type Source, sourceOf } from '../plan/scan.ts';
import { type Fields, fieldNames, getField, isFields, setField } from '../values/fields.ts';
import { fieldPathParts } from '../values/path.ts';
import { type CompiledPipeline, checkHeld, portioned, type Stage } from './stage.ts';

/** `$facet`: the same documents through several pipelines. */
export function compileFacet(argument: unknown, compile: (stages: unknown) => CompiledPipeline): Stage {
  if (!isFields(argument) || fieldNames(argument).length === 0) {
    throw locationError(40169, 'the $facet specification must be a non-empty object');
  }
  const facets = fieldNames(argument).map((name) => {
    fieldPathParts(name);
    return [name, compile(getField(argument, name))] as const;
  });
  return (source) => sourceOf(facet(source, facets));
}

function* facet(source: Source, facets: readonly (readonly [string, CompiledPipeline])[]): Portions {
  const held: Candidate[][] = [];
  let bytes = 0;
  for (const portion of portionsOf(source)) {
    held.push(portion.map((candidate) => candidate.undecoded()));
    bytes += portion.reduce((sum, candidate) => sum + candidate.bytes.length + 64, 0);
    checkHeld(bytes, '$facet');
    yield [];
  }
  let result: Fields = {};
  let made = 0;
  for (const [name, pipeline] of facets) {
    const documents: Document[] = [];
    for (const portion of portionsOf(pipeline.apply(sourceOf(again(held))))) {
      made += portion.reduce((sum, candidate) => sum + candidate.bytes.length, 0);
      checkHeld(made, '$facet');
      documents.push(...portion.map(({ document }) => document));
      yield [];
    }
    result = setField(result, name, documents);
  }
  yield* portioned([result as Document]);
}

function* again(held: readonly Candidate[][]): Portions {
  for (const portion of held) yield portion.map((candidate) => candidate.undecoded());
}
