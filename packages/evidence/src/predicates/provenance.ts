import { shorten } from '../shorten.ts';
import type { PredicateFields, SourceFields } from './fields.ts';
import { known, listIn, memberOf, textOf } from './members.ts';
import { dependenciesOf, materialsOf, sourceOf, withCommit } from './source.ts';

const PARAMETERS_SHOWN = 2000;

/** Where builders put the source into their parameters, the usual ones first. */
const SOURCE_PARAMETERS = ['workflow', 'buildConfigSource', 'configSource', 'source'];

/** SLSA provenance 1.0 and 1.1. */
export function readProvenanceV1(predicate: unknown): PredicateFields {
  const definition = memberOf(predicate, 'buildDefinition');
  const parameters = memberOf(definition, 'externalParameters');
  const dependencies = dependenciesOf(definition);
  return known({
    builder: textOf(predicate, 'runDetails', 'builder', 'id'),
    buildType: textOf(definition, 'buildType'),
    invocation: textOf(predicate, 'runDetails', 'metadata', 'invocationId'),
    source: sourceIn(parameters, dependencies),
    ...materialsOf(dependencies),
    parameters: parametersText(parameters),
  });
}

/** SLSA provenance 0.2. */
export function readProvenanceV02(predicate: unknown): PredicateFields {
  const materials = listIn(predicate, 'materials');
  const source = withCommit(sourceOf(memberOf(predicate, 'invocation', 'configSource')), materials);
  return known({
    builder: textOf(predicate, 'builder', 'id'),
    buildType: textOf(predicate, 'buildType'),
    invocation: textOf(predicate, 'metadata', 'buildInvocationId'),
    source: filled(source),
    ...materialsOf(materials),
    parameters: parametersText(memberOf(predicate, 'invocation', 'parameters')),
  });
}

function sourceIn(parameters: unknown, dependencies: readonly unknown[]): SourceFields | undefined {
  for (const name of SOURCE_PARAMETERS) {
    const source = sourceOf(memberOf(parameters, name));
    if (source.repository !== undefined) return withCommit(source, dependencies);
  }
  return filled(withCommit({}, dependencies));
}

function filled(source: SourceFields): SourceFields | undefined {
  return Object.keys(source).length === 0 ? undefined : source;
}

function parametersText(parameters: unknown): string | undefined {
  return parameters == null ? undefined : shorten(JSON.stringify(parameters), PARAMETERS_SHOWN);
}
