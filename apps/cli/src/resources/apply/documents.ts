import {
  createControl,
  EnvironmentInput,
  EnvironmentNotificationInput,
  FlowInput,
  FlowNotificationInput,
  NamedPolicyInput,
  patchTags,
} from '@waymark/contract';
import { stringify } from 'yaml';
import { CliError } from '../../run/cli-error.ts';
import { failureOf } from '../../run/failure.ts';
import { placeOf, type RawDocument, readBeside } from './read-documents.ts';

type ControlInput = ReturnType<typeof createControl.body.parse>;
type Tags = Readonly<Record<string, string>>;

interface Placed {
  readonly file: string;
  readonly number: number;
  readonly name: string;
}

export type Document = Placed &
  (
    | { readonly kind: 'flow'; readonly body: FlowInput; readonly tags: Tags }
    | { readonly kind: 'environment'; readonly body: EnvironmentInput; readonly tags: Tags }
    | { readonly kind: 'control'; readonly body: ControlInput; readonly tags: Tags }
    | { readonly kind: 'policy'; readonly body: NamedPolicyInput & { policy_yaml: string } }
    | { readonly kind: 'notification'; readonly body: EnvironmentNotificationInput | FlowNotificationInput }
  );

const kinds = ['flow', 'environment', 'policy', 'control', 'notification'] as const;

type Fields = Readonly<Record<string, unknown>>;

/** The errors of a document, in words. */
class Invalid extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('; '));
    this.problems = problems;
  }
}

/** Reads all documents before the first is used, and reports all errors of all of them. */
export function checkedDocuments(cwd: string, raw: readonly RawDocument[]): Document[] {
  const problems: string[] = [];
  const documents: Document[] = [];
  const seen = new Map<string, RawDocument>();
  for (const one of raw) {
    try {
      const document = documentOf(cwd, one);
      refuseSecond(seen, document, one);
      documents.push(document);
    } catch (error) {
      if (error instanceof Invalid) problems.push(...error.problems.map((problem) => `${placeOf(one)}: ${problem}`));
      else problems.push(`${placeOf(one)}: ${failureOf(error, undefined).message}`);
    }
  }
  if (problems.length === 0) return documents.toSorted((a, b) => rankOf(a) - rankOf(b));
  throw new CliError('usage', `Nothing was sent: ${problems.length} error${problems.length > 1 ? 's' : ''}`, {
    why: problems.join('\n  '),
    fix: 'See /api/v2/openapi.json for the fields of each kind',
  });
}

function refuseSecond(seen: Map<string, RawDocument>, { kind, name }: Document, raw: RawDocument): void {
  const first = seen.get(`${kind} ${name}`);
  if (first) throw new Invalid([`${kind} '${name}' is already defined in ${placeOf(first)}`]);
  seen.set(`${kind} ${name}`, raw);
}

/** Dependencies come first. */
function rankOf(document: Document): number {
  if (document.kind === 'environment' && document.body.type === 'logical') return 4;
  return { control: 0, policy: 1, flow: 2, environment: 3, notification: 5 }[document.kind];
}

function documentOf(cwd: string, raw: RawDocument): Document {
  const { value, file, number } = raw;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Invalid(['must be a mapping with a kind and a name']);
  }
  const { kind, ...fields } = value as Fields;
  const known = kindOf(kind);
  const text = (field: string) => readBeside(cwd, raw, field);
  const place = { file, number };
  switch (known) {
    case 'flow':
      return flowOf(place, fields, text);
    case 'environment': {
      const { body, tags } = tagged(fields, EnvironmentInput);
      return { ...place, kind: known, name: body.name, body, tags };
    }
    case 'control': {
      const { body, tags } = tagged(fields, createControl.body);
      return { ...place, kind: known, name: body.identifier, body, tags };
    }
    case 'policy':
      return policyOf(place, fields, text);
    case 'notification': {
      const schema = 'flows' in fields ? FlowNotificationInput : EnvironmentNotificationInput;
      const body = valid<EnvironmentNotificationInput | FlowNotificationInput>(schema, fields);
      return { ...place, kind: known, name: body.name, body };
    }
  }
}

function kindOf(kind: unknown): Document['kind'] {
  const known = kinds.find((one) => one === kind);
  if (known) return known;
  const complaint = kind === undefined ? 'is missing' : `'${String(kind)}' is unknown`;
  throw new Invalid([`kind ${complaint}; it must be one of ${kinds.join(', ')}`]);
}

type Place = Pick<Placed, 'file' | 'number'>;
type ReadFile = (named: string) => string;

function flowOf(place: Place, { template, template_file: named, ...fields }: Fields, read: ReadFile): Document {
  if (template !== undefined && named !== undefined) throw new Invalid(['has both template and template_file']);
  const text = typeof named === 'string' ? read(named) : isMapping(template) ? stringify(template) : template;
  const { body, tags } = tagged({ ...fields, ...(text !== undefined && { template: text }) }, FlowInput);
  return { ...place, kind: 'flow', name: body.name, body, tags };
}

const POLICY_TEXTS = ['policy_yaml', 'policy', 'policy_file'];

function policyOf(place: Place, fields: Fields, read: ReadFile): Document {
  const { policy, policy_file: named, ...others } = fields;
  const ways = POLICY_TEXTS.filter((way) => fields[way] !== undefined);
  if (ways.length !== 1) throw new Invalid([`needs one of ${POLICY_TEXTS.join(', ')}; it has ${ways.length}`]);
  const text =
    typeof named === 'string' ? read(named) : isMapping(policy) ? stringify(policy) : (policy ?? fields['policy_yaml']);
  const body = valid<NamedPolicyInput>(NamedPolicyInput, { ...others, policy_yaml: text });
  return { ...place, kind: 'policy', name: body.name, body: { ...body, policy_yaml: body.policy_yaml ?? '' } };
}

function isMapping(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly code?: string;
  readonly values?: readonly unknown[];
  readonly keys?: readonly string[];
  readonly expected?: string;
}

type Parsed<T> = { success: true; data: T } | { success: false; error: { issues: readonly object[] } };

interface Checked<T> {
  safeParse(value: unknown): Parsed<T>;
}

function tagged<T>({ tags = {}, ...fields }: Fields, schema: Checked<T>): { body: T; tags: Tags } {
  const body = schema.safeParse(fields);
  const changes = patchTags.body.safeParse({ set_tags: tags });
  if (body.success && changes.success) return { body: body.data, tags: changes.data.set_tags ?? {} };
  throw new Invalid([
    ...problemsOf(body),
    ...problemsOf(changes).map((problem) => problem.replace(/^set_tags/, 'tags')),
  ]);
}

function valid<T>(schema: Checked<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new Invalid(problemsOf(parsed));
}

function problemsOf(parsed: Parsed<unknown>): string[] {
  return parsed.success ? [] : parsed.error.issues.map((issue) => issueText(issue as Issue));
}

/** Describes the error without the value, which may be a secret. */
function issueText(issue: Issue): string {
  const path = issue.path.map(String).join('.');
  return `${path} ${reasonOf(issue)}`.trim();
}

function reasonOf({ code, message, values, keys, expected }: Issue): string {
  if (code === 'unrecognized_keys' && keys) return `unknown fields: ${keys.join(', ')}`;
  if (code === 'invalid_value' && values) return `must be one of ${values.join(', ')}`;
  if (code === 'invalid_key') return 'is not a valid key: use letters, digits, and . - _ ~';
  if (code === 'invalid_type' && message.endsWith('received undefined')) return 'is missing';
  if (code === 'invalid_type') return `must be of type ${expected ?? 'another'}`;
  return message;
}
