-- The queue is named after what it holds, as everything else about re-evaluation is.
alter table environment_recheck rename to environment_reevaluation;
alter index environment_recheck_pkey rename to environment_reevaluation_pkey;
alter index environment_recheck_due rename to environment_reevaluation_due;
alter index environment_recheck_given_up rename to environment_reevaluation_given_up;
alter index environment_recheck_due_of_org rename to environment_reevaluation_due_of_org;
