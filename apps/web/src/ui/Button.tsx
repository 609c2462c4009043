import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components';
import { withBase } from '../lib/base-path.ts';
import { classes } from './classes.ts';
import { Link } from './Link.tsx';

export type ButtonVariant = 'primary' | 'plain' | 'danger' | 'quiet';

const SHAPE =
  'inline-flex items-center justify-center gap-1.5 rounded-md border px-3 py-1.5 text-[13px] font-medium leading-5 whitespace-nowrap no-underline hover:no-underline cursor-pointer transition-colors no-print';
const VARIANTS: Record<ButtonVariant, string> = {
  primary: 'border-accent bg-accent text-on-accent hover:opacity-90',
  plain: 'border-field/60 bg-panel text-ink hover:bg-raised',
  danger: 'border-bad bg-panel text-bad hover:bg-bad-wash',
  quiet: 'border-transparent bg-transparent text-quiet hover:bg-raised hover:text-ink',
};

interface ButtonProps extends Omit<AriaButtonProps, 'className'> {
  readonly variant?: ButtonVariant;
  readonly className?: string;
  /** Why it is disabled: the button stays visible, with this reason. */
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
  if (whyNot === undefined) return button;
  return (
    <span className="inline-flex flex-col items-start gap-0.5" title={whyNot}>
      {button}
      <span className="text-[12px] text-quiet no-print">{whyNot}</span>
    </span>
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
