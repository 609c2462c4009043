import { z } from 'zod';
import { ServerSettings, type SettingMeta } from './settings.ts';

const GROUP = 'A witness';

/** The settings of `waymark-server witness`, which reads no others. */
export const WitnessSettings = z.object({
  WAYMARK_WITNESS_KEY: z
    .string()
    .startsWith('PRIVATE+KEY+', 'must be a key that `waymark-server witness key` has generated')
    .meta({ group: GROUP, about: 'its private key, as `waymark-server witness key` writes it', isSecret: true }),
  WAYMARK_WITNESS_POLICY: z
    .string()
    .min(1, 'must be the path of a file')
    .meta({ group: GROUP, about: 'path of a C2SP tlog-policy file; its `log` lines are the logs that are cosigned' }),
  WAYMARK_WITNESS_STATE: z
    .string()
    .min(1, 'must be the path of a directory')
    .meta({ group: GROUP, about: 'directory for the latest checkpoint of each log; never restore it from a backup' }),
  ...ServerSettings.pick({
    WAYMARK_LISTEN_HOST: true,
    WAYMARK_PORT: true,
    WAYMARK_TLS_CERT: true,
    WAYMARK_TLS_KEY: true,
    WAYMARK_LOG_LEVEL: true,
    WAYMARK_METRICS_PORT: true,
    WAYMARK_METRICS_HOST: true,
  }).shape,
});

export type WitnessSettings = z.infer<typeof WitnessSettings>;

export function witnessMetaOf(name: keyof WitnessSettings): SettingMeta {
  return WitnessSettings.shape[name].meta() as unknown as SettingMeta;
}
