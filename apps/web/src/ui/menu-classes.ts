export const MENU = 'min-w-52 max-w-sm overflow-auto rounded-lg border border-line bg-panel p-1 shadow-lg';
export const MENU_ITEM =
  'flex cursor-pointer items-center gap-2 rounded px-2 py-1.5 text-[13.5px] text-ink no-underline outline-none data-[focused]:bg-raised';
