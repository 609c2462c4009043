import * as contracts from '@waymark/contract';
import { policyText } from '../given/policies.ts';
import type { TestApi } from '../harness.ts';
import { type Led, reevaluateBoth, statusOf } from './led.ts';
import type { Attesting, PolicyOperation } from './operations.ts';
import { activeOf, environmentOf, flowOf, putPolicy, type RuntimeModel, reevaluateModel } from './runtime-model.ts';
import { DEMANDS } from './verdict-model.ts';

/** Applies operations that change the verdicts on what runs, to the service and to the model. */
export async function performOnPolicies(api: TestApi, model: RuntimeModel, operation: PolicyOperation): Promise<Led> {
  switch (operation.kind) {
    case 'put policy':
      return versionPolicy(api, model, operation);
    case 'attach policy':
    case 'detach policy':
      return selectPolicy(api, model, operation);
    case 'attest':
    case 'override':
      return attest(api, model, operation);
    case 'allow artifact':
      return allowArtifact(api, model, operation);
    case 'withdraw allow-listing':
      return withdrawWaiver(api, model, operation);
  }
}

type Of<Kind extends PolicyOperation['kind']> = Extract<PolicyOperation, { kind: Kind }>;

async function versionPolicy(api: TestApi, model: RuntimeModel, operation: Of<'put policy'>): Promise<Led> {
  const { policy, demand, isFollowed } = operation;
  const outcome = putPolicy(model, policy, demand);
  const call = { params: { name: policy }, body: { policy_yaml: policyText(DEMANDS[demand]) } };
  const led = statusOf(outcome === 'created' ? 201 : 200, await api.call(contracts.putPolicy, call));
  const concerned = activeOf(model).filter(({ policies }) => policies.has(policy));
  return isFollowed ? bothOf(led, await reevaluateBoth(api, model, 'policy', concerned)) : led;
}

function bothOf(first: Led, second: Led): Led {
  return {
    expected: [first.expected, second.expected],
    actual: [first.actual, second.actual],
    changed: second.changed ?? [],
  };
}

async function selectPolicy(
  api: TestApi,
  model: RuntimeModel,
  { kind, name, policy }: Of<'attach policy' | 'detach policy'>,
): Promise<Led> {
  const environment = environmentOf(model, name);
  const { policies } = environment;
  const isAttached = policies.has(policy);
  if (kind === 'attach policy') policies.add(policy);
  else policies.delete(policy);
  if (policies.has(policy) !== isAttached) reevaluateModel(model, environment, 'policy');
  const contract = kind === 'attach policy' ? contracts.attachPolicies : contracts.detachPolicies;
  const call = { params: { env_name: name }, body: { policy_names: [policy] } };
  return statusOf(200, await api.call(contract, call), [environment]);
}

/** A worker re-evaluates what the attestation is about, wherever that runs. */
async function attest(api: TestApi, model: RuntimeModel, operation: Of<'attest' | 'override'>): Promise<Led> {
  const flow = flowOf(model, operation.flow);
  const { trail, fingerprint, isCompliant, isFollowed } = operation;
  model.attestations.push({ flow, trail, fingerprint, isCompliant });
  const led = await send(api, operation);
  if (!isFollowed) return led;
  const inTrail = model.reports.filter((report) => report.flow === flow && report.trail === trail);
  const about = fingerprint === null ? [...new Set(inTrail.map((report) => report.fingerprint))] : [fingerprint];
  const concerned = activeOf(model).filter(({ snapshots }) =>
    snapshots.at(-1)?.running.some(({ run }) => about.includes(run.fingerprint)),
  );
  return bothOf(led, await reevaluateBoth(api, model, 'evidence', concerned, about));
}

async function send(api: TestApi, attesting: { kind: 'attest' | 'override' } & Attesting): Promise<Led> {
  const { kind, flow, trail, fingerprint, isCompliant } = attesting;
  const params = { flow_name: flow, trail_name: trail };
  const subject = { attestation_name: 'unit-tests', artifact_fingerprint: fingerprint };
  if (kind === 'attest') {
    const call = { params, body: { ...subject, is_compliant: isCompliant } };
    return statusOf(201, await api.call(contracts.attestGeneric, call));
  }
  const verdict = { original_attestation_type: 'generic', new_compliance_status: isCompliant, reason: 'a known flake' };
  return statusOf(201, await api.call(contracts.attestOverride, { params, body: { ...subject, ...verdict } }));
}

async function allowArtifact(api: TestApi, model: RuntimeModel, operation: Of<'allow artifact'>): Promise<Led> {
  const { name, fingerprint, reason } = operation;
  const environment = environmentOf(model, name);
  const isSame = environment.waivers.get(fingerprint) === reason;
  environment.waivers.set(fingerprint, reason);
  if (!isSame) reevaluateModel(model, environment, 'allow-list', [fingerprint]);
  const body = { artifact_fingerprint: fingerprint, artifact_name: 'app', description: reason };
  return statusOf(201, await api.call(contracts.allowArtifact, { params: { env_name: name }, body }), [environment]);
}

async function withdrawWaiver(
  api: TestApi,
  model: RuntimeModel,
  { name, fingerprint }: Of<'withdraw allow-listing'>,
): Promise<Led> {
  const environment = environmentOf(model, name);
  const isListed = environment.waivers.delete(fingerprint);
  if (isListed) reevaluateModel(model, environment, 'allow-list', [fingerprint]);
  const answer = await api.call(contracts.withdrawWaiver, { params: { env_name: name, fingerprint } });
  return statusOf(isListed ? 200 : 404, answer, [environment]);
}
