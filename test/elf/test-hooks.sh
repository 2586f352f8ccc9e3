#!/bin/sh
# test-hooks.sh HOOKS.DEF NSS_CFLAGS...: every function in the installed headers that takes or returns a PK11Context *, and that libnss3.so
# exports, is hooked; so is what invalidates the cache.
hooks=$1
shift
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
library=$(ldconfig -p | awk '$1 == "libnss3.so" { print $NF; exit }')
nm -D --defined-only "$library" | awk '$2 == "T" { sub(/@.*/, "", $3); print $3 }' | sort -u >"$dir/exports"
sed -n 's/^HOOK(\([A-Za-z0-9_]*\),.*/\1/p' "$hooks" | sort -u >"$dir/hooks"

# All declarations, one a line, without the attributes.
printf '#include <nss.h>\n#include <pk11pub.h>\n#include <pk11priv.h>\n#include <secmod.h>\n#include <sechash.h>\n' >"$dir/all.c"
cc -E -P "$@" "$dir/all.c" | tr '\n' ' ' | tr ';{}' '\n\n\n' >"$dir/declarations"
grep -E 'PK11Context *\*' "$dir/declarations" | grep -oE '[A-Za-z_0-9]+ *\(' | tr -d ' (' | sort -u |
    grep -Fxf "$dir/exports" >"$dir/of_contexts"
[ "$(wc -l <"$dir/of_contexts")" -ge 15 ] || { echo "the headers could not be read"; exit 1; }

# By name too: an export that the headers don't declare.
grep -E '^_*PK11_.*Context' "$dir/exports" | grep -v HPKE >>"$dir/of_contexts"
cat >>"$dir/of_contexts" <<'L'
SECMOD_AddNewModule
SECMOD_AddNewModuleEx
SECMOD_LoadModule
SECMOD_LoadUserModule
SECMOD_LoadUserModuleWithFunction
SECMOD_UnloadUserModule
SECMOD_DeleteModule
SECMOD_DeleteModuleEx
SECMOD_DeleteInternalModule
SECMOD_UpdateModule
SECMOD_UpdateSlotList
SECMOD_OpenUserDB
SECMOD_OpenNewSlot
SECMOD_CloseUserDB
SECMOD_WaitForAnyTokenEvent
SECMOD_RestartModules
PK11_UpdateSlotAttribute
PK11_UserEnableSlot
PK11_UserDisableSlot
PK11_ResetToken
PK11_InitPin
PK11_ChangePW
PK11_TokenRefresh
PK11_WaitForTokenEvent
PK11_Logout
PK11_LogoutAll
L
missing=$(sort -u "$dir/of_contexts" | grep -Fvxf "$dir/hooks")
[ -z "$missing" ] || { echo "not hooked: $missing"; exit 1; }
# The comparison sees a hook that is missing.
grep -v '^PK11_DigestKey$' "$dir/hooks" >"$dir/fewer"
sort -u "$dir/of_contexts" | grep -Fvxf "$dir/fewer" | grep -qx PK11_DigestKey || { echo "the check is blind"; exit 1; }
echo "$(sort -u "$dir/of_contexts" | wc -l) functions are to be hooked, and are"
