import { parentPort } from 'node:worker_threads';
import { jobs } from './jobs.ts';
import type { FromThread, ToThread } from './thread.ts';

const port = parentPort;
if (!port) throw new Error('this file is run by a thread of the sandbox');

const send = (message: FromThread) => port.postMessage(message);

async function perform({ name, input }: ToThread): Promise<FromThread> {
  try {
    const job: (input: never) => unknown = jobs[name];
    return { kind: 'done', value: await job(input as never) };
  } catch (error) {
    return { kind: 'failed', message: String(error) };
  }
}

port.on('message', (message: ToThread) => void perform(message).then(send));
send({ kind: 'ready' });
