import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components';
import { withBase } from '../lib/base-path.ts';
import { classes } from './classes.ts';
import { Link } from './Link.tsx';
import { RefusedButton } from './RefusedButton.tsx';

export type ButtonVariant = 'primary' | 'plain' | 'danger' | 'remove' | 'quiet';

// Never smaller than what a finger needs.
const SHAPE =
  'inline-flex min-h-6 min-w-6 items-center justify-center gap-1.5 rounded-md border px-3 py-1.5 text-[13px] font-medium leading-5 whitespace-nowrap no-underline hover:no-underline cursor-pointer transition-colors no-print';
const VARIANTS: Record<ButtonVariant, string> = {
  primary: 'border-accent bg-accent text-on-accent hover:opacity-90',
  plain: 'border-field/60 bg-panel text-ink hover:bg-raised',
  danger: 'border-bad bg-panel text-bad hover:bg-bad-wash',
  /** In each row of a list, where as many red buttons would say that something is wrong. */
  remove: 'border-field/60 bg-panel text-quiet hover:border-bad hover:bg-bad-wash hover:text-bad',
  quiet: 'border-transparent bg-transparent text-quiet hover:bg-raised hover:text-ink',
};

interface ButtonProps extends Omit<AriaButtonProps, 'className'> {
  readonly variant?: ButtonVariant;
  readonly className?: string;
  /** Why it is disabled: the button stays visible, and names the reason when pointed at or focused. */
  readonly whyNot?: string | undefined;
}

export function Button({ variant = 'plain', className, whyNot, isDisabled, ...rest }: ButtonProps) {
  const off = isDisabled || whyNot !== undefined;
  const button = (
    <AriaButton
      {...rest}
      isDisabled={off ?? false}
      className={classes(SHAPE, VARIANTS[variant], off && 'cursor-not-allowed opacity-55', className)}
    />
  );
  // An empty reason is given elsewhere.
  if (whyNot === undefined || whyNot === '') return button;
  return (
    <RefusedButton
      whyNot={whyNot}
      className={classes(SHAPE, VARIANTS[variant], 'cursor-not-allowed opacity-55', className)}
      type={rest.type ?? 'button'}
      aria-label={rest['aria-label']}
    >
      {rest.children as React.ReactNode}
    </RefusedButton>
  );
}

export function LinkButton({
  href,
  variant = 'plain',
  children,
  className,
  ...rest
}: {
  readonly href: string;
  readonly variant?: ButtonVariant;
  readonly children: React.ReactNode;
  readonly className?: string;
  readonly download?: boolean;
  readonly 'aria-label'?: string;
}) {
  const classNames = classes(SHAPE, VARIANTS[variant], className);
  if (rest.download || href.startsWith('/api/'))
    return (
      <a href={withBase(href)} className={classNames} {...rest}>
        {children}
      </a>
    );
  return (
    <Link href={href} className={classNames} {...rest}>
      {children}
    </Link>
  );
}
