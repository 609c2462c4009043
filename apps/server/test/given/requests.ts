import * as contract from '@waymark/contract';
import { givenEnvelope, givenKeys, givenStatement } from '../../../../packages/evidence/src/given/envelope.ts';
import { givenSigstore } from '../../../../packages/evidence/src/given/sigstore.ts';
import type { TestApi } from '../harness.ts';
import { givenEnvironment } from './environments.ts';
import { artifact, attest, fingerprint, givenArtifact, givenFlow } from './evidence.ts';
import { email, givenFlowNotification, givenNotification, webhook } from './notifications.ts';
import { givenAttached, givenPolicy, REQUIRES_PROVENANCE } from './policies.ts';

/** Everything sent with an operation apart from the credential. */
export interface GivenRequest {
  readonly params?: Record<string, string>;
  readonly body?: object;
  readonly file?: { readonly name: string; readonly content: string };
}

/** Makes the subject of an operation, under a unique name, and returns what to send. */
type Given = (api: TestApi, name: string) => Promise<GivenRequest>;

const A = fingerprint('a');
const ISSUER = 'https://token.actions.githubusercontent.com';
const SBOM = JSON.stringify({
  bomFormat: 'CycloneDX',
  specVersion: '1.5',
  version: 1,
  components: [{ type: 'library', name: 'left-pad', version: '1.0.0', purl: 'pkg:npm/left-pad@1.0.0' }],
});
const VEX = JSON.stringify({
  '@context': 'https://openvex.dev/ns/v0.2.0',
  statements: [{ vulnerability: 'CVE-2026-1', status: 'not_affected', justification: 'component_not_present' }],
});
const JUNIT = '<testsuites><testsuite name="s" tests="1"><testcase name="a"/></testsuite></testsuites>';

/** A request that succeeds, for each operation that supports a dry run. */
export const requests: Readonly<Record<string, Given>> = {
  ...ofFlows(),
  ...ofEvidence(),
  ...ofEnvironments(),
  ...ofReports(),
  ...ofRules(),
  ...ofTrust(),
  ...ofNotifications(),
};

function ofFlows(): Record<string, Given> {
  return {
    putFlow: async (_, name) => ({ body: { name, description: 'Builds the shop' } }),
    putFlowTemplate: async (_, name) => ({
      body: { name, description: 'Builds the shop' },
      file: { name: 'template.yml', content: 'version: 1\n' },
    }),
    async renameFlow(api, name) {
      await givenFlow(api, name);
      return { params: { flow_name: name }, body: { new_name: `${name}-2` } };
    },
    async archiveFlow(api, name) {
      await givenFlow(api, name);
      return { params: { flow_name: name } };
    },
    async beginTrail(api, name) {
      await givenFlow(api, name);
      const repo_info = { name: 'acme/trail', url: 'https://git.example.com/acme/trail' };
      return { params: { flow_name: name }, body: { name: 't', repo_info } };
    },
    async patchTags(api, name) {
      await givenFlow(api, name);
      return { params: { type: 'flow', id: name }, body: { set_tags: { team: 'shop' } } };
    },
  };
}

function ofEvidence(): Record<string, Given> {
  const about =
    (body: object, file?: GivenRequest['file']): Given =>
    async (api, name) => {
      await givenFlow(api, name);
      await givenArtifact(api, name, 'a', { trail_name: 't' });
      const params = { flow_name: name, trail_name: 't' };
      return { params, body: { attestation_name: 'check', ...body }, ...(file && { file }) };
    };
  const signedBy = givenKeys.ed25519();
  const envelope = JSON.stringify(givenEnvelope(givenStatement(), [{ by: signedBy }]));
  return {
    async reportArtifact(api, name) {
      await givenFlow(api, name);
      return { params: { flow_name: name }, body: artifact('a', { repo_info: { name: 'acme/web' } }) };
    },
    // Into a flow and a trail that do not exist yet.
    attestGeneric: async (_, name) => ({
      params: { flow_name: name, trail_name: 't' },
      body: { attestation_name: 'check', is_compliant: true, repo_info: { name: 'acme/generic' } },
      file: { name: 'log.txt', content: 'done' },
    }),
    attestJunit: about({}, { name: 'junit.xml', content: JUNIT }),
    attestSnyk: about({ snyk_results: { results: [{ high_count: 1, medium_count: 0, low_count: 0 }] } }),
    attestSonar: about({ sonar_results: { qualityGate: { status: 'OK' } } }),
    attestJira: about({ jira_results: [{ issue_id: 'ACME-1', issue_exists: true }] }),
    attestPullRequest: about({
      git_provider: 'github',
      pull_requests: [{ url: 'https://git.example.com/1', state: 'MERGED' }],
    }),
    async attestCustom(api, name) {
      await api.call(contract.postAttestationType, { body: { name } });
      return about({ type_name: name, attestation_data: { coverage: 81 } })(api, name);
    },
    attestDecision: about({ control: 'SDLC-7', attestation_data: { is_compliant: true } }),
    attestSystem: about({ type_name: 'decision', control: 'SDLC-7', attestation_data: { is_compliant: true } }),
    async attestOverride(api, name) {
      await givenFlow(api, name);
      await attest(api, name, 't', { attestation_name: 'check', is_compliant: false });
      const body = { reason: 'a false alarm', new_compliance_status: true, original_attestation_type: 'generic' };
      return { params: { flow_name: name, trail_name: 't' }, body: { attestation_name: 'check', ...body } };
    },
    attestSbom: about({ artifact_fingerprint: A }, { name: 'bom.json', content: SBOM }),
    attestVex: about({ artifact_fingerprint: A }, { name: 'vex.json', content: VEX }),
    async attestInToto(api, name) {
      await api.call(contract.addTrustedKey, { body: { name, public_key: signedBy.pem } });
      return about({ artifact_fingerprint: A }, { name: 'build.json', content: envelope })(api, name);
    },
    postAttestationType: async (_, name) => ({ body: { name, description: 'Coverage' } }),
    async archiveAttestationType(api, name) {
      await api.call(contract.postAttestationType, { body: { name } });
      return { params: { name } };
    },
    async recordApproval(api, name) {
      await givenFlow(api, name);
      await givenArtifact(api, name, 'a');
      return { params: { flow_name: name }, body: { artifact_fingerprint: A, src_commit_list: [] } };
    },
  };
}

function ofEnvironments(): Record<string, Given> {
  const about =
    (body?: (name: string) => object): Given =>
    async (api, name) => {
      await givenEnvironment(api, name);
      return { params: { env_name: name }, ...(body && { body: body(name) }) };
    };
  return {
    putEnvironment: async (_, name) => ({ body: { name, type: 'server', description: 'Where the shop runs' } }),
    patchEnvironment: about(() => ({ description: 'Where the shop runs' })),
    renameEnvironment: about((name) => ({ new_name: `${name}-2` })),
    archiveEnvironment: about(),
    async joinEnvironment(api, name) {
      await givenEnvironment(api, name);
      await givenEnvironment(api, `${name}-all`, 'logical');
      return { params: { env_name: `${name}-all` }, body: { physical_env_name: name } };
    },
    async attachPolicies(api, name) {
      await givenEnvironment(api, name);
      await givenPolicy(api, name);
      return { params: { env_name: name }, body: { policy_names: [name] } };
    },
    async detachPolicies(api, name) {
      await givenEnvironment(api, name);
      await givenPolicy(api, name);
      await givenAttached(api, name, [name]);
      return { params: { env_name: name }, body: { policy_names: [name] } };
    },
    async attachReportOnlyPolicies(api, name) {
      await givenEnvironment(api, name);
      await givenPolicy(api, name);
      return { params: { env_name: name }, body: { policy_names: [name] } };
    },
    detachReportOnlyPolicies: reportOnly,
    promotePolicies: reportOnly,
    allowArtifact: about(() => ({ artifact_fingerprint: A, artifact_name: 'app', description: 'an emergency' })),
    async withdrawWaiver(api, name) {
      await givenEnvironment(api, name);
      const body = { artifact_fingerprint: A, artifact_name: 'app', description: 'an emergency' };
      await api.call(contract.allowArtifact, { params: { env_name: name }, body });
      return { params: { env_name: name, fingerprint: A } };
    },
  };
}

async function reportOnly(api: TestApi, name: string): Promise<GivenRequest> {
  await givenEnvironment(api, name);
  await givenPolicy(api, name);
  const request = { params: { env_name: name }, body: { policy_names: [name] } };
  await api.call(contract.attachReportOnlyPolicies, request);
  return request;
}

function ofReports(): Record<string, Given> {
  const runs = { digests: { app: A }, creationTimestamp: 1_700_000_000 };
  const app = { app_name: 'web', app_kind: 'app', digests_source: 'logs', ...runs };
  const of =
    (type: contract.EnvironmentType, instance: object = runs): Given =>
    async (api, name) => {
      await givenEnvironment(api, name, type);
      await givenPolicy(api, name);
      await givenAttached(api, name, [name]);
      return { params: { env_name: name }, body: { artifacts: [instance] } };
    };
  return {
    reportK8s: of('K8S', { podName: 'web-1', ...runs }),
    reportEcs: of('ECS', { taskArn: 'arn:aws:ecs:eu-west-1:1:task/shop/1', ...runs }),
    reportS3: of('S3'),
    reportLambda: of('lambda'),
    reportServer: of('server'),
    reportDocker: of('docker'),
    reportCloudxApps: of('cloudx-apps', app),
    reportAzureApps: of('azure-apps', app),
    reportCloudRun: of('cloud-run', { kind: 'service', serviceName: 'web', ...runs }),
  };
}

function ofRules(): Record<string, Given> {
  const aControl: Given = async (api, name) => {
    await api.call(contract.createControl, { body: { identifier: name, name } });
    return { params: { identifier: name } };
  };
  return {
    putPolicy: async (_, name) => ({ params: { name }, body: { policy_yaml: REQUIRES_PROVENANCE } }),
    putNamedPolicy: async (_, name) => ({
      body: { name },
      file: { name: 'policy.yml', content: REQUIRES_PROVENANCE },
    }),
    async archivePolicy(api, name) {
      await givenPolicy(api, name);
      return { params: { name } };
    },
    createControl: async (_, name) => ({ body: { identifier: name, name } }),
    updateControl: async (api, name) => ({ ...(await aControl(api, name)), body: { name: 'Reviewed' } }),
    archiveControl: aControl,
    async unarchiveControl(api, name) {
      const request = await aControl(api, name);
      await api.call(contract.archiveControl, { params: { identifier: name } });
      return request;
    },
  };
}

function ofTrust(): Record<string, Given> {
  const key = (name: string) => ({ body: { name, public_key: givenKeys.ed25519().pem } });
  const identity = async (name: string) => ({
    body: {
      name,
      issuer: ISSUER,
      subject: `https://github.com/acme/${name}/.github/workflows/ci.yml@refs/heads/main`,
      trusted_root: (await givenSigstore()).root,
    },
  });
  const workload = (name: string) => ({
    body: {
      name,
      service_account: 'member',
      issuer: ISSUER,
      claims: { repository_id: String(name.length), sub: name },
    },
  });
  const account = (name: string) => ({ body: { name, privilege: 'member' as const } });
  return {
    addTrustedKey: async (_, name) => key(name),
    removeTrustedKey: async (api, name) => ({
      params: { key_id: (await api.call(contract.addTrustedKey, key(name))).body.id },
    }),
    addTrustedIdentity: (_, name) => identity(name),
    removeTrustedIdentity: async (api, name) => ({
      params: { identity_id: (await api.call(contract.addTrustedIdentity, await identity(name))).body.id },
    }),
    addWorkloadIdentity: async (_, name) => workload(name),
    removeWorkloadIdentity: async (api, name) => ({
      params: { identity_id: (await api.call(contract.addWorkloadIdentity, workload(name))).body.id },
    }),
    createServiceAccount: async (_, name) => account(name),
    async updateServiceAccount(api, name) {
      await api.call(contract.createServiceAccount, account(name));
      return { params: { name }, body: { description: 'Builds the shop' } };
    },
    async deleteServiceAccount(api, name) {
      await api.call(contract.createServiceAccount, account(name));
      await api.call(contract.createServiceAccountKey, { params: { name }, body: { description: 'x' } });
      return { params: { name } };
    },
  };
}

function ofNotifications(): Record<string, Given> {
  const onEnvironment = (name: string) => ({
    body: { name, environments: [name], triggers: ['ON_NON_COMPLIANT_ENV'], targets: [webhook(), email()] },
  });
  const putOnEnvironment: Given = async (api, name) => {
    await givenEnvironment(api, name);
    return onEnvironment(name);
  };
  const numbered: Given = async (api, name) => {
    await givenEnvironment(api, name);
    const { number } = await givenNotification(api, name, [name]);
    return { params: { number: String(number) } };
  };
  const config = { params: { notification_type: 'api_key_expiry' }, body: { targets: [email()] } };
  return {
    putEnvironmentNotification: putOnEnvironment,
    putEnvironmentAction: putOnEnvironment,
    updateEnvironmentNotification: async (api, name) => ({ ...(await numbered(api, name)), ...onEnvironment(name) }),
    deleteEnvironmentNotification: numbered,
    async putFlowAction(api, name) {
      await givenFlow(api, name);
      return { body: { name, flows: [name], triggers: ['ON_STARTED_TRAIL'], targets: [webhook()] } };
    },
    async deleteAction(api, name) {
      await givenFlow(api, name);
      const { number } = await givenFlowNotification(api, name, [name]);
      return { params: { number: String(number) } };
    },
    putNotificationConfig: async () => config,
    async deleteNotificationConfig(api) {
      await api.call(contract.putNotificationConfig, config);
      return { params: config.params };
    },
  };
}
