import { Argument, Option } from '@commander-js/extra-typings';
import { roles } from '@waymark/contract';

export const roleArgument = () => new Argument('<role>', 'role in the org').choices(roles);
export const roleOption = () => new Option('--role <role>', 'role in the org').choices(roles);
