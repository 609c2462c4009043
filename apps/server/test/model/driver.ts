import * as contracts from '@waymark/contract';
import type { TestApi } from '../harness.ts';
import { type Led, reevaluateBoth, statusOf } from './led.ts';
import type { ArtifactBody, Operation } from './operations.ts';
import { performOnPolicies } from './policy-driver.ts';
import type { ArtifactReport, Environment, Flow, RuntimeModel } from './runtime-model.ts';
import * as models from './runtime-model.ts';
import { type PhysicalType, toEntry, type Unit } from './units.ts';

const REPORTS = {
  K8S: contracts.reportK8s,
  ECS: contracts.reportEcs,
  S3: contracts.reportS3,
  lambda: contracts.reportLambda,
  server: contracts.reportServer,
  docker: contracts.reportDocker,
  'cloudx-apps': contracts.reportCloudxApps,
  'azure-apps': contracts.reportAzureApps,
  'cloud-run': contracts.reportCloudRun,
} as const satisfies Record<PhysicalType, contracts.Contract>;

/** Applies an operation to the service and to the model. */
export async function perform(api: TestApi, model: RuntimeModel, operation: Operation): Promise<Led> {
  switch (operation.kind) {
    case 'move clock':
      model.now += operation.by;
      api.clock.now = new Date(model.now);
      return { expected: 0, actual: 0 };
    case 'put environment':
      return putEnvironment(api, model, operation.name, operation.type);
    case 'rename environment':
      return renameEnvironment(api, model, operation.name, operation.to);
    case 'archive environment':
      models.archiveEnvironment(models.environmentOf(model, operation.name));
      return statusOf(200, await api.call(contracts.archiveEnvironment, { params: { env_name: operation.name } }));
    case 'join environment':
      return joinEnvironment(api, model, operation.name, operation.member);
    case 'put flow':
      models.putFlow(model, operation.name);
      return statusOf(201, await api.call(contracts.putFlow, { body: { name: operation.name } }));
    case 'rename flow':
      return renameFlow(api, model, operation.name, operation.to);
    case 'report artifact':
      return reportArtifact(api, model, operation.flow, operation.body);
    case 'report':
      return report(api, model, operation.name, operation.word, operation.units);
    case 'repeat report': {
      const { type, units } = models.environmentOf(model, operation.name);
      return report(api, model, operation.name, type as PhysicalType, units);
    }
    case 'report of another type': {
      const call = { params: { env_name: operation.name }, body: { artifacts: [] } };
      return statusOf(400, await api.call(REPORTS[operation.word], call));
    }
    case 'reevaluateAll':
      return reevaluateBoth(api, model, 'provenance', [models.environmentOf(model, operation.name)]);
    default:
      return performOnPolicies(api, model, operation);
  }
}

async function putEnvironment(api: TestApi, model: RuntimeModel, name: string, type: Environment['type']) {
  const isThere = models.activeOf(model).some((environment) => environment.name === name);
  const led = statusOf(201, await api.call(contracts.putEnvironment, { body: { name, type } }));
  if (isThere) return led;
  const environment = models.putEnvironment(model, name, type);
  const answer = await api.call(contracts.getEnvironment, { params: { env_name: name } });
  environment.id = (answer.body as contracts.Environment).id;
  return led;
}

async function renameEnvironment(api: TestApi, model: RuntimeModel, name: string, to: string): Promise<Led> {
  const isRenamed = models.renameEnvironment(model, models.environmentOf(model, name), to);
  const call = { params: { env_name: name }, body: { new_name: to } };
  return statusOf(isRenamed ? 200 : 400, await api.call(contracts.renameEnvironment, call));
}

async function joinEnvironment(api: TestApi, model: RuntimeModel, name: string, member: string): Promise<Led> {
  const logical = models.activeOf(model).find(({ type }) => type === 'logical');
  if (!logical) throw new Error('the model has no logical environment');
  logical.members.add(models.environmentOf(model, member));
  // It may have been renamed; `name` is its first one.
  const env_name = models.environmentNamed(model, name) === logical ? name : logical.name;
  const call = { params: { env_name }, body: { physical_env_name: member } };
  return statusOf(200, await api.call(contracts.joinEnvironment, call));
}

async function renameFlow(api: TestApi, model: RuntimeModel, name: string, to: string): Promise<Led> {
  const isRenamed = models.renameFlow(model, models.flowOf(model, name), to);
  const call = { params: { flow_name: name }, body: { new_name: to } };
  return statusOf(isRenamed ? 200 : 400, await api.call(contracts.renameFlow, call));
}

async function reportArtifact(api: TestApi, model: RuntimeModel, flow: string, body: ArtifactBody): Promise<Led> {
  const led = statusOf(201, await api.call(contracts.reportArtifact, { params: { flow_name: flow }, body }));
  const params = { flow_name: flow, fingerprint: body.fingerprint };
  const newest = await api.call(contracts.getArtifact, { params });
  model.reports.push(toReport(models.flowOf(model, flow), body, (newest.body as contracts.Artifact).id));
  models.claimPlatforms(model, body);
  return led;
}

function toReport(flow: Flow, body: ArtifactBody, id: string): ArtifactReport {
  const { git_commit_info: info, fingerprint } = body;
  const commit = body.git_commit ?? info?.sha1 ?? '';
  return {
    id,
    flow,
    fingerprint,
    trail: body.trail_name ?? (commit || fingerprint),
    templateName: body.template_reference_name,
    commit,
    commitUrl: body.commit_url,
    commitInfo: info && {
      sha1: info.sha1,
      message: info.message ?? '',
      author: '',
      branch: info.branch,
      timestamp: info.timestamp,
      url: '',
    },
    committedAt: info?.timestamp ?? null,
    repository: body.repo_info?.name ?? null,
    platforms: models.platformsIn(body),
  };
}

async function report(api: TestApi, model: RuntimeModel, name: string, word: PhysicalType, units: readonly Unit[]) {
  const environment = models.environmentOf(model, name);
  const outcome = models.takeReport(model, environment, units);
  const body = { artifacts: units.map((unit) => toEntry(word, unit)) };
  const answer = await api.call(REPORTS[word], { params: { env_name: name }, body: body as never });
  return {
    expected: { status: 200, snapshot: `${environment.snapshots.length}; ${outcome}` },
    actual: { status: answer.status, snapshot: answer.headers['waymark-snapshot'] },
    changed: [environment],
  };
}
