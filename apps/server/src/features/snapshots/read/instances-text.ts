import { type InstanceDetail, NO_DETAIL, type PodDetail } from '../instance-detail.reads.ts';

const TIMES_ONLY = /^\{"timestamps":(\[(?:\d+(?:\.\d+)?(?:,\d+(?:\.\d+)?)*)?\])\}$/;
const NO_CONTEXT = '"pods":null,"container_task_context":null,"serverless_run_context":null,"app_context":null';

/** JSON members for instances. An exited artifact has no pods. */
export function instancesText(
  detail: string,
  hasExited: boolean,
  read: (detail: string, instead: InstanceDetail) => InstanceDetail,
): string {
  // Most have only times, which are copied as stored.
  const times = TIMES_ONLY.exec(detail)?.[1];
  if (times !== undefined) return `"creationTimestamp":${times},${NO_CONTEXT}`;
  const { timestamps, pods, task, run, app } = read(detail, NO_DETAIL);
  return (
    `"creationTimestamp":[${timestamps.join()}],"pods":${pods && !hasExited ? podsText(pods) : 'null'},` +
    `"container_task_context":${textOr(task)},"serverless_run_context":${textOr(run)},"app_context":${textOr(app)}`
  );
}

function podsText(pods: NonNullable<InstanceDetail['pods']>): string {
  const members = Object.entries(pods).map(([key, pod]) => `${JSON.stringify(key)}:${podText(pod)}`);
  return `{${members.join()}}`;
}

function podText({ namespace, creationTimestamp, owners }: PodDetail): string {
  return JSON.stringify({ namespace, creationTimestamp, owners });
}

function textOr(context: object | undefined): string {
  return context ? JSON.stringify(context) : 'null';
}
