// A system of somebody else that follows the event bus with the public client, as docs/event-bus.md shows.
import { AckPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';

const [servers, stream, durable] = process.argv.slice(2);
const nats = await connect({ servers, maxReconnectAttempts: -1, waitOnFirstConnect: true });
process.on('SIGTERM', () => void nats.close());

for (;;) {
  try {
    const manager = await jetstreamManager(nats);
    await manager.consumers.add(stream, { durable_name: durable, ack_policy: AckPolicy.Explicit });
    const consumer = await jetstream(nats).consumers.get(stream, durable);
    for await (const message of await consumer.consume({
      max_messages: 100,
      expires: 1_000,
      abort_on_missing_resource: true,
    })) {
      const { id, source, index, life, type } = message.json();
      process.stdout.write(`${JSON.stringify({ id, source, index, life, type, subject: message.subject })}\n`);
      message.ack();
    }
  } catch (error) {
    process.stderr.write(`${error}\n`);
  }
  if (nats.isClosed()) break;
  await new Promise((resolve) => setTimeout(resolve, 250));
}
