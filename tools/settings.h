/* settings.h - checking the settings of `pk11cache run --set` against preload/options.def, before the program starts.
 */
#ifndef PK11CACHE_SETTINGS_H
#define PK11CACHE_SETTINGS_H

/* What is wrong with "PK11CACHE_NAME=VALUE", in a sentence; NULL when nothing is. Valid until the next call. */
const char *setting_problem(const char *setting);

#endif
