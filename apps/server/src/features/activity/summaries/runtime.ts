import type { SummaryTemplate } from '../summary.ts';

const NAMED = { name: '{name}', path: 'environments/{name}' };
const IN_ENVIRONMENT = { name: '{environment}', path: 'environments/{environment}' };

/** Environments, and what runs in them. */
export const RUNTIME: Readonly<Record<string, SummaryTemplate>> = {
  'environment.created': { says: '{actor} created environment {name} of type {type}', ...NAMED },
  'environment.updated': { says: '{actor} changed settings of environment {name}', ...NAMED },
  'environment.renamed': {
    says: '{actor} renamed environment {from} to {to}',
    name: '{to}',
    path: 'environments/{to}',
  },
  'environment.tagged': {
    says: '{actor} changed tags of environment {name}[: set {set_keys}][, removed {removed}]',
    ...NAMED,
  },
  'environment.members_changed': {
    says: '{actor} changed the members of environment {name}[, added {added.name}][, removed {removed.name}]',
    ...NAMED,
  },
  'environment.archived': { says: '{actor} archived environment {name}', name: '{name}' },
  'environment.went_stale': { says: '{environment} became stale: a report is overdue', ...IN_ENVIRONMENT },
  'environment.evidence_expiring': {
    says: 'Evidence about {artifacts.name} in {environment} expires soon',
    ...IN_ENVIRONMENT,
  },
  'environment.reporting_again': { says: '{environment} reported again after being stale', ...IN_ENVIRONMENT },
  'environment.scaled': {
    says: 'Instances of {changes.name} changed in {environment}[ ({part_of})]',
    ...IN_ENVIRONMENT,
  },
  'snapshot.recorded': {
    says:
      'Snapshot {index} of {environment} was created[, started: {started.name}][, exited: {exited.name}][, now ' +
      '{compliance.now}][ ({part_of})]',
    name: '{environment}',
    path: 'environments/{environment}/snapshots/{index}',
  },
  'allow_list.added': {
    says: '{actor} granted a waiver for {name} ({digits}) in {environment}[: {reason}]',
    ...IN_ENVIRONMENT,
  },
  'allow_list.withdrawn': {
    says: '{actor} withdrew the waiver for {name} ({digits}) in {environment}',
    ...IN_ENVIRONMENT,
  },
  'allow_list.expired': { says: 'The waiver for {name} ({digits}) in {environment} expired', ...IN_ENVIRONMENT },
  'policy.attached': {
    says: '{actor} attached policy {policies.name} to {environment}',
    name: '{environment}',
    path: 'environments/{environment}/policies',
  },
  'policy.report_only_attached': {
    says: '{actor} attached policy {policies.name} to {environment} as report-only',
    name: '{environment}',
    path: 'environments/{environment}/policies',
  },
  'policy.report_only_detached': {
    says: '{actor} detached report-only policy {policies.name} from {environment}',
    name: '{environment}',
    path: 'environments/{environment}/policies',
  },
  'policy.promoted': {
    says: '{actor} promoted report-only policy {policies.name} in {environment}: it is enforced now',
    name: '{environment}',
    path: 'environments/{environment}/policies',
  },
  'policy.detached': {
    says: '{actor} detached policy {policies.name} from {environment}',
    name: '{environment}',
    path: 'environments/{environment}/policies',
  },
};
