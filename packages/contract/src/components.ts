import { z } from 'zod';
import { contract } from './contract.ts';
import { Fingerprint, OrgParams, PerPage } from './evidence.ts';
import { EpochSeconds, text } from './primitives.ts';

const License = z.string().nullable().meta({ description: 'As the SBOM says it: an SPDX expression, or names' });

const PackageUrl = text(2_000)
  .regex(/^[pP][kK][gG]:[^/?#\s]+\/[^?#\s]/, "must be a package URL, such as 'pkg:npm/lodash'")
  .meta({ examples: ['pkg:npm/lodash'] });

const RunningComponent = z
  .object({
    name: z.string(),
    version: z.string(),
    purl: z.string().nullable(),
    license: License,
    in_range: z.boolean().nullable().meta({
      description: 'Null where it is not known: the version does not compare, or only the name is the same',
    }),
  })
  .meta({ id: 'RunningComponent' });

export const WhereComponent = z
  .object({
    version_order: z.enum(['semver', 'pep440', 'exact']).meta({ description: 'How versions are compared' }),
    data: z.array(
      z.object({
        fingerprint: z.string(),
        name: z.string().meta({ description: 'The name under which it runs' }),
        in_range: z.boolean().nullable().meta({ description: 'Whether any of the components is in the range' }),
        environments: z
          .array(z.object({ environment_name: z.string(), since: EpochSeconds }))
          .meta({ description: 'At most 100' }),
        has_more_environments: z.boolean(),
        components: z.array(RunningComponent).meta({ description: 'At most 20, those in the range first' }),
        component_count: z.number().int(),
        sboms: z
          .array(
            z.object({
              attestation_id: z.string(),
              attestation_name: z.string(),
              flow_name: z.string(),
              trail_name: z.string(),
              recorded_at: EpochSeconds,
            }),
          )
          .meta({ description: 'The SBOMs that name the component, newest first, at most 20' }),
      }),
    ),
    coverage: z
      .object({
        running: z.number().int().meta({ description: 'Artifacts that run now, each once' }),
        without_sbom: z.number().int().meta({ description: 'Those of which it is not known what they contain' }),
        unidentified: z.number().int().meta({ description: 'Runs without a fingerprint, which no SBOM can describe' }),
        is_complete: z.boolean().meta({ description: 'False where more artifacts run than were counted' }),
      })
      .nullable()
      .meta({ description: 'Null on pages after the first' }),
    pagination: z.object({ per_page: z.number().int(), next: z.string().nullable() }),
  })
  .meta({ id: 'WhereComponent' });
export type WhereComponent = z.infer<typeof WhereComponent>;

export const whereComponent = contract({
  id: 'whereComponent',
  summary: 'List what runs a component now',
  description:
    'The artifacts that run now and contain the component according to their SBOMs, in the order of their ' +
    'fingerprints, with the environments. An artifact without SBOM may contain it too: `coverage` counts those. A page ' +
    'may have fewer items than requested, or none, although `pagination.next` is set.',
  tag: 'Search',
  method: 'GET',
  path: '/components/:org/where',
  access: 'read',
  params: OrgParams,
  query: z.strictObject({
    component: PackageUrl.meta({
      description:
        'A package URL, in any case and without qualifiers. With a version in it, only that version is meant, unless ' +
        'there is a range.',
      examples: ['pkg:npm/lodash'],
    }),
    range: text(200)
      .optional()
      .meta({
        description:
          'Versions in the syntax of the ecosystem: of semantic versioning for npm, Cargo, Go, Hex, pub, and Swift, of ' +
          'PEP 440 for PyPI. The order of versions of other ecosystems is not known: they are compared for equality, and ' +
          'any other range leaves it open for each version.',
        examples: ['<4.17.21'],
      }),
    per_page: PerPage(100),
    after: z.string().max(64).optional().meta({ description: 'Cursor from `pagination.next`' }),
  }),
  status: 200,
  reply: WhereComponent,
  errors: [400, 401, 403, 429, 503],
});

const ComponentVersions = z
  .object({
    versions: z.array(z.string()).meta({ description: 'At most 20' }),
    licenses: z.array(z.string()).meta({ description: 'At most 20' }),
  })
  .nullable();

export const ComponentDiff = z
  .object({
    from: z.object({ fingerprint: z.string(), has_sbom: z.boolean(), component_count: z.number().int() }),
    to: z.object({ fingerprint: z.string(), has_sbom: z.boolean(), component_count: z.number().int() }),
    counts: z.object({
      added: z.number().int(),
      removed: z.number().int(),
      version: z.number().int(),
      license: z.number().int(),
      unchanged: z.number().int(),
    }),
    data: z.array(
      z.object({
        component: z.string().meta({ description: 'A package URL without version, or a name' }),
        kind: z.enum(['added', 'removed', 'version', 'license']),
        from: ComponentVersions,
        to: ComponentVersions,
      }),
    ),
    pagination: z.object({ per_page: z.number().int(), next: z.string().nullable() }),
  })
  .meta({ id: 'ComponentDiff' });
export type ComponentDiff = z.infer<typeof ComponentDiff>;

export const diffComponents = contract({
  id: 'diffComponents',
  summary: 'Compare the components of two artifacts',
  description:
    'What the SBOMs of the second artifact have that those of the first do not, and the other way round, by package ' +
    'URL without version. Of several SBOMs of an artifact all count; of those with the same name in a flow, the newest.',
  tag: 'Search',
  method: 'GET',
  path: '/components/:org/diff',
  access: 'read',
  params: OrgParams,
  query: z.strictObject({
    from: Fingerprint,
    to: Fingerprint,
    kind: z.enum(['added', 'removed', 'version', 'license']).optional().meta({ description: 'Only these changes' }),
    per_page: PerPage(500),
    after: text(600).optional().meta({ description: 'Cursor from `pagination.next`' }),
  }),
  status: 200,
  reply: ComponentDiff,
  errors: [400, 401, 403, 404, 429, 503],
});
